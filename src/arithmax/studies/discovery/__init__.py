"""What discovery does with the tasks of the documents."""
