"""Settings of all tests."""

import os

import torch
from hypothesis import HealthCheck, settings

settings.register_profile(
    "check",
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("thorough", settings.get_profile("check"), max_examples=400)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "check"))

# The tests run side by side, one process per core; so do the commands that they start.
torch.set_num_threads(1)
os.environ["OMP_NUM_THREADS"] = "1"
