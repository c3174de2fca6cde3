// Nothing to do here: page.html does what the scenario asks for.
