"""The judged data of RAG: one mapped reader, and a preset for each tool whose files it reads."""
