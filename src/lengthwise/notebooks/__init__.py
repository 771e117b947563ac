"""Views of languages, runs, scores, certificates and constructions in notebooks."""
