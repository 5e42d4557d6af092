"""What can be trained: the contract of a network, stacks of units, scaled networks,
networks over sequences and images."""

from .._network import Network as Network
from .._network import Noise as Noise
from ._accumulator import Accumulator as Accumulator
from ._cnn import CNN as CNN
from ._lstm import LSTM as LSTM
from ._recurrence import Recurrence as Recurrence
from ._recurrent import Recurrent as Recurrent
from ._scaled import Scaled as Scaled
from ._scaled import check_scale as check_scale
from ._stack import Stack as Stack
