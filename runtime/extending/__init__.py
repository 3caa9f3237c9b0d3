"""Parts by name, ours and those of other packages, and the errors of code that is not ours."""
