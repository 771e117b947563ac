"""Any model and any task to scores; knows no architecture."""
