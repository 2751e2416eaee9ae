"""What readers say is wrong: sent from a form, kept apart, taken over or declined at the desk."""
