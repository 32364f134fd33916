"""Times join engines against each other on the same generated streams.

Rows are compared before any time is reported. A new engine is one module in `joinbench.arms`.
"""
