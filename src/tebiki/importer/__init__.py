"""What people have as Markdown in a manual: PDF, Word, Excel, slides, each file read apart."""
