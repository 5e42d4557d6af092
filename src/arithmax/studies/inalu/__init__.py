"""iNALU: Improved Neural Arithmetic Logic Unit, by D. Schlör, M. Ring and A. Hotho.

The published counts are in the JSON files, with their source.
"""
