"""Evaluated studies as one HTML page, as Markdown and as pictures.

Nothing is computed here: a report draws what an `arithmax.studies.Evaluation` holds.
"""

from ._discovery import discovery_page as discovery_page
from ._draw import figures as figures
from ._draw_posterior import band_plot as band_plot
from ._draw_posterior import constants_plot as constants_plot
from ._images import write_images as write_images
from ._leaderboard import leaderboard as leaderboard
from ._markdown import markdown as markdown
from ._page import page as page
