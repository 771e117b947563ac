"""Many runs of one experiment, on as many processes and machines as there are."""
