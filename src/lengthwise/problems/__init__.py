"""Problems: the kinds of tasks that a model can learn, with their names, tests and reports."""
