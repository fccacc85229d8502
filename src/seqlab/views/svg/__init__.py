"""Pictures as SVG: shapes of our own, and charts that matplotlib draws."""
