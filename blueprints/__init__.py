"""HTTP: routes and their documentation. They decide nothing."""
