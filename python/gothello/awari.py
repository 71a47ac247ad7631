"""Awari: its rules, endgame databases, and the built-in player.

>>> from gothello import awari
>>> game = awari.Game()
>>> game.play("F")
>>> game.to_move, game.legal_moves()
('north', ['a', 'b', 'c', 'd', 'e', 'f'])
"""

from ._gothello import awari as _awari

Database = _awari.Database
Game = _awari.Game
Player = _awari.Player

__all__ = ["Database", "Game", "Player"]
