"""Reading and checking of user input."""
