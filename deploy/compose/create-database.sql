-- PostgreSQL's image runs this file once, in an empty server. The user of the gateways owns its database only.
\set password `cat /run/counterfoil/password`
CREATE ROLE counterfoil LOGIN PASSWORD :'password';
CREATE DATABASE counterfoil OWNER counterfoil;
