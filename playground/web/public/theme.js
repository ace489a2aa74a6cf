// Chooses the theme before anything is drawn.
