"""The API of OpenAI as it is written: what requests and responses of it say, for whatever client or library speaks it."""
