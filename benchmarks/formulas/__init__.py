"""Formulas with known answers: tables of numbers drawn from them, and who is right."""
