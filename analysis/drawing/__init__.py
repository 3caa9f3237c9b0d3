"""Draws pictures and pages: charts with matplotlib, everything else, as the 13 x 13 grid, with Jinja2 templates."""
