"""What is done with any text that is shown: secrets masked, long values cut, misspelt names guessed."""
