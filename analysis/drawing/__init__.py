"""Pictures and pages: charts by matplotlib, everything else from Jinja2 templates; the 13x13 grid."""
