"""The explorer: one local page that shows languages, networks and proofs at work.

A language or a run becomes plain values (`language_values`, `run_values`), which `page` embeds into
one self-contained HTML page. `server` serves it on 127.0.0.1 and answers what is typed there.
"""
