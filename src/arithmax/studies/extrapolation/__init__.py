"""The extrapolation report (B. Kollanur, project report, IIT Indore)."""
