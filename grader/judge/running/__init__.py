"""Workers as the judge sees them: started, asked, watched and ended."""
