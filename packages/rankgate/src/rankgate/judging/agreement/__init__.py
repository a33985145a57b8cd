"""How far judges agree: raw, by kappa, by Krippendorff's alpha, with intervals by query."""
