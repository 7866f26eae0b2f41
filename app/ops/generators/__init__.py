"""Code of models that is written for one: columns out of what somebody types, put into the class where it stands."""
