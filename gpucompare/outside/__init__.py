"""Calls to other machines, for all apps: where they may go and how long they may take."""
