"""Pieces of pictures and pages: inline SVG, labels of lines, the 13x13 grid."""
