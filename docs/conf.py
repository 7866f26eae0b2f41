"""How Sphinx builds the documentation: `make docs`."""

project = "Rowgate"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "Rowgate"
html_show_copyright = False
html_show_sphinx = False
# Nothing is loaded from elsewhere.
html_theme_options = {"source_repository": "", "footer_icons": []}
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]
exclude_patterns = ["_build"]
highlight_language = "text"
nitpicky = True
