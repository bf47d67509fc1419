"""What people look at: captures as trees, in a terminal, a notebook or a page."""
