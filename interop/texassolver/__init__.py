"""TexasSolver's console configurations and its dumps of strategies.

======================  ================================================================================
``config``              a configuration: its commands, read and written
``betting``             the betting lines that TexasSolver builds from a configuration
``spots``               configurations as texts of spot files, spots as configurations; where the trees differ
``dump``                the strategies of a dump, at the decisions of our tree
======================  ================================================================================
"""
