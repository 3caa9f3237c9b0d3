"""A small river for the laboratory's commands."""

SPOT = """\
spot: little river
board: Td 9d 6h Qc 2s
pot: 100
stack: 300
range: {oop: "66+,A8,KJ,T9,76s:0.5", ip: "QQ,AQ,87,KJ:0.25,K5"}
sizes:
  river: {oop: "50%,a/a", ip: "50%,a/a"}
"""
