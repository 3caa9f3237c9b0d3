"""UPI, the line protocol of PioSOLVER: Hedgehog answers it, so that scripts made for PioSOLVER drive Hedgehog.

:class:`~hedgehog.interop.upi.dialogue.Dialogue` turns one line of a client into an answer, without input or output of
its own. What it needs to say hello is light: numpy and the solver are imported by the first command that needs them,
because some clients end a program that is silent for a second.

======================  ================================================================================
``dialogue``            end string, order of answers, errors; the commands that need no tree
``settings``            what ``set_...`` commands have set: board, ranges, lines, accuracy
``desk``                the commands about a tree, one method each
``held``                the tree that is loaded or built, its strategies, set strategies and locks
``places``              node ids such as ``r:0:b45:c:2c`` and the nodes of our tree
``vectors``             1,326 numbers in PioSOLVER's order of hands
``betting_lines``       the numbers of ``add_line`` and our action tokens
``spots``               spots of exact lines, and of locks by hand, as texts of spot files
``copying``             strategies for a solver that stores other boards or hands
``task``                ``go``: the solve in the background, its progress and its end
``saves``               ``.cfr`` files that name a saved solve
``launcher``            program files that clients find
======================  ================================================================================
"""
