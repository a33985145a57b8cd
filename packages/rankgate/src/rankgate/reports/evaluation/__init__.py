"""What is said of an evaluation, worked out once in `report`; one module a layout, listed in `formats`."""
