"""Parts that every view shares: one palette, tables, pages of HTML, pictures as SVG, and drawings in characters."""
