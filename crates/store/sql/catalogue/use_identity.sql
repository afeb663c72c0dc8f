-- Records a sign-in of an identity.
update member_identity set last_sign_in_at = now(), removed_at = null where issuer = $1 and subject = $2
