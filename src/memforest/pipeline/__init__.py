"""Stages, plan, execution and resume."""
