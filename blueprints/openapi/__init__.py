"""The description of the API, built when somebody asks for it."""
