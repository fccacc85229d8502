"""What people see and type: text and JSON, progress, colours, Ctrl-C."""
