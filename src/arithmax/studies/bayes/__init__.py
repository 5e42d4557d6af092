"""What the Bayesian approach of the NPU's draft can do: its dropped experiments."""
