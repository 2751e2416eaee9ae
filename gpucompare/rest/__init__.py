"""What every part of the JSON API has in common. It knows neither app."""
