"""The arena: networks trained and examined on suites of languages under one protocol."""
