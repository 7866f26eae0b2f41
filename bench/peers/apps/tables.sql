CREATE TABLE users (id uuid PRIMARY KEY, email text NOT NULL UNIQUE, disabled boolean NOT NULL DEFAULT false);
CREATE TABLE organizations (id uuid PRIMARY KEY, name text NOT NULL);
CREATE TABLE members (organization_id uuid NOT NULL REFERENCES organizations, user_id uuid NOT NULL REFERENCES users,
    role text NOT NULL, PRIMARY KEY (user_id, organization_id));
CREATE TABLE sessions (digest bytea PRIMARY KEY, user_id uuid NOT NULL REFERENCES users,
    organization_id uuid NOT NULL REFERENCES organizations, expires_at timestamptz NOT NULL);
CREATE TABLE companies (id uuid PRIMARY KEY, organization_id uuid NOT NULL REFERENCES organizations,
    name text NOT NULL);
CREATE TABLE contacts (id uuid PRIMARY KEY, organization_id uuid NOT NULL REFERENCES organizations,
    created_by_id uuid REFERENCES users, first_name text NOT NULL, last_name text NOT NULL, email text NOT NULL,
    phone text, title text, company_id uuid NOT NULL REFERENCES companies,
    created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (organization_id, email));
CREATE INDEX contacts_newest ON contacts (organization_id, created_at, id);
CREATE INDEX contacts_company ON contacts (company_id, created_at, id);
