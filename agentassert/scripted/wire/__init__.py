"""The protocols that a scripted model speaks: each answer as it goes over the wire, whole or in the events of a stream."""
