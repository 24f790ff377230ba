"""Rules in service: compared with others."""
