{% snapshot hist_ticket_invoices %}
{{ config(unique_key=['shop_id', 'id'], strategy='check', check_cols=['fingerprint']) }}
{{ versioned(ref('stg_ticket_invoices'), ['seen_at']) }}
{% endsnapshot %}
