"""The Neural Power Unit: its draft of May 2020, and the paper's large task."""
