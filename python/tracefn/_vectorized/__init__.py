"""A function that was traced for one row, run once for all rows: its nodes are converted one by one by batch rules.

`conversion` converts a graph; `rules` holds the table of rules, which the other files fill, one family of ops each. A node
without a rule makes the conversion refuse the whole function: whoever asked runs it row by row.
"""
