"""What the site's pages take from the sources: messages and settings. No Spark is needed."""
