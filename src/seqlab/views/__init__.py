"""Common parts of pages and pictures: palette, tables, HTML, SVG, and text drawings."""
