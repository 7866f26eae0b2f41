"""Sign in with the name and the password of an LDAP directory, as a plugin of Rowgate."""
