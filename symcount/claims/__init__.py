"""What a document claims: figures, expressions, relations between them, tables; read, never run."""
