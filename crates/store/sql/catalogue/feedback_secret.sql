-- The secret with which feedback tokens are sealed.
select secret from feedback_secret
